"""The same work with Python's subprocess module. Called like limit.c, without a mode."""

import json
import resource
import subprocess
import sys
import threading
import time

TRUE = ["/bin/true"]


def cpu_us():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return (usage.ru_utime + usage.ru_stime) * 1e6


def status_bytes(field):
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(field))


def once():
    started = time.perf_counter()
    child = subprocess.Popen(TRUE, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    returned = time.perf_counter()
    child.communicate()
    return (time.perf_counter() - started) * 1e3, (returned - started) * 1e6


def latency(count, resident, warm):
    held = bytearray(b"\x01") * max(0, resident - status_bytes("VmRSS"))
    samples = [once() for _ in range(count + warm)][warm:]
    assert len(held) >= 0
    return {"exit_ms": [one[0] for one in samples], "call_us": [one[1] for one in samples]}


def many(count, width):
    left = iter(range(count))
    lock = threading.Lock()

    def lane():
        while True:
            with lock:
                if next(left, None) is None:
                    return
            once()

    lanes = [threading.Thread(target=lane) for _ in range(width)]
    for one in lanes:
        one.start()
    for one in lanes:
        one.join()


def rate(count, width, warm):
    many(max(warm, width), width)
    used, started = cpu_us(), time.perf_counter()
    many(count, width)
    seconds = time.perf_counter() - started
    return {"starts_per_s": [count / seconds], "host_cpu_us": [(cpu_us() - used) / count]}


def measured(total, work):
    with open("/proc/self/clear_refs", "w", encoding="ascii") as refs:
        refs.write("5")
    before, used, started = status_bytes("VmRSS"), cpu_us(), time.perf_counter()
    got = work()
    seconds = time.perf_counter() - started
    assert got == total, f"{got} of {total} bytes"
    grown = status_bytes("VmHWM") - before
    return {
        "mib_per_s": [total / 2**20 / seconds],
        "host_cpu_ms": [(cpu_us() - used) / 1e3],
        "peak_mib": [grown / 2**20],
        "peak_ratio": [grown / total],
    }


def capture(program, size, chunk):
    argv = [program, str(size), str(chunk)]
    return measured(size, lambda: len(subprocess.run(argv, capture_output=True, check=True).stdout))


def feed(program, size, kind):
    data = b"x" * size

    def work():
        got = len(subprocess.run([program], input=data, stdout=subprocess.PIPE, check=True).stdout)
        return got if kind == "echo" else size

    return measured(size, work)


def number(text):
    return int(text) if text.isdigit() else text


if __name__ == "__main__":
    work = {"latency": latency, "rate": rate, "capture": capture, "feed": feed}[sys.argv[1]]
    print(json.dumps(work(*map(number, sys.argv[2:]))))
