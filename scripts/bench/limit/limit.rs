// The same work with Rust's std::process. Called like limit.c, without a mode.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;

#[repr(C)]
struct Usage {
    times: [i64; 4],
    rest: [i64; 14],
}

extern "C" {
    fn getrusage(who: i32, usage: *mut Usage) -> i32;
}

fn cpu_us() -> f64 {
    let mut usage = Usage { times: [0; 4], rest: [0; 14] };
    // SAFETY: struct rusage of Linux is two timevals and fourteen longs; RUSAGE_SELF is 0.
    let result = unsafe { getrusage(0, &mut usage) };
    assert!(result == 0 && usage.rest[0] > 0);
    let [user, user_us, system, system_us] = usage.times;
    (user + system) as f64 * 1e6 + (user_us + system_us) as f64
}

fn status_bytes(field: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() * 1024.0
}

fn once() -> (f64, f64) {
    let started = Instant::now();
    let mut command = Command::new("/bin/true");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let called = started.elapsed();
    assert!(child.wait_with_output().unwrap().status.success());
    (started.elapsed().as_secs_f64() * 1e3, called.as_secs_f64() * 1e6)
}

fn latency(count: usize, resident: usize, warm: usize) {
    let held = vec![1u8; resident];
    for _ in 0..warm {
        once();
    }
    let samples: Vec<_> = (0..count).map(|_| once()).collect();
    let list = |values: Vec<String>| values.join(",");
    println!(
        "{{\"exit_ms\":[{}],\"call_us\":[{}],\"held_mib\":[{}]}}",
        list(samples.iter().map(|one| one.0.to_string()).collect()),
        list(samples.iter().map(|one| one.1.to_string()).collect()),
        held.len() >> 20
    );
}

fn many(count: usize, width: usize) {
    let left = AtomicI64::new(count as i64);
    std::thread::scope(|scope| {
        for _ in 0..width {
            scope.spawn(|| {
                while left.fetch_sub(1, Ordering::Relaxed) > 0 {
                    once();
                }
            });
        }
    });
}

fn rate(count: usize, width: usize, warm: usize) {
    many(width.max(warm), width);
    let (used, started) = (cpu_us(), Instant::now());
    many(count, width);
    println!(
        "{{\"starts_per_s\":[{}],\"host_cpu_us\":[{}]}}",
        count as f64 / started.elapsed().as_secs_f64(),
        (cpu_us() - used) / count as f64
    );
}

fn measured(total: usize, work: impl FnOnce() -> usize) {
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    let (before, used, started) = (status_bytes("VmRSS:"), cpu_us(), Instant::now());
    assert_eq!(work(), total);
    let grown = status_bytes("VmHWM:") - before;
    println!(
        "{{\"mib_per_s\":[{}],\"host_cpu_ms\":[{}],\"peak_mib\":[{}],\"peak_ratio\":[{}]}}",
        (total >> 20) as f64 / started.elapsed().as_secs_f64(),
        (cpu_us() - used) / 1e3,
        grown / 1048576.0,
        grown / total as f64
    );
}

fn capture(program: &str, total: usize, chunk: &str) {
    measured(total, || {
        let output = Command::new(program).arg(total.to_string()).arg(chunk).output().unwrap();
        output.stdout.len()
    });
}

fn count(program: &str, total: usize) {
    measured(total, || {
        let mut command = Command::new(program);
        command.arg(total.to_string()).arg("65536").stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut out = child.stdout.take().unwrap();
        let mut buffer = vec![0u8; 65536];
        let mut bytes = 0;
        loop {
            match out.read(&mut buffer).unwrap() {
                0 => break,
                count => bytes += count,
            }
        }
        assert!(child.wait().unwrap().success());
        bytes
    });
}

fn feed(program: &str, total: usize, kind: &str) {
    let data = vec![b'x'; total];
    measured(total, || {
        let mut child =
            Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let got = std::thread::scope(|scope| {
            let data = &data;
            scope.spawn(move || input.write_all(data).unwrap());
            child.wait_with_output().unwrap().stdout.len()
        });
        if kind == "echo" { got } else { total }
    });
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let number = |index: usize| args[index].parse::<usize>().unwrap();
    match args[1].as_str() {
        "latency" => latency(number(2), number(3), number(4)),
        "rate" => rate(number(2), number(3), number(4)),
        "capture" => capture(&args[2], number(3), &args[4]),
        "count" => count(&args[2], number(3)),
        "feed" => feed(&args[2], number(3), &args[4]),
        other => panic!("no work {other}"),
    }
}
