// Whether a scan listed what a real shell then did.

/** A dynamic word is no word, one or several; `{}` of find is a file's name. */
export function matchesStage(argv, stage) {
  const match = (i, j) => {
    if (j === stage.argv.length) return i === argv.length;
    if (stage.dynamic[j]) {
      for (let next = i; next <= argv.length; next++) if (match(next, j + 1)) return true;
      return false;
    }
    if (i === argv.length) return false;
    const word = stage.argv[j];
    if (stage.via.length > 0 && word.includes('{}')) return match(i + 1, j + 1) || (word === '{}' && match(i + 1, j));
    return argv[i] === word && match(i + 1, j + 1);
  };
  return match(0, 0);
}

const baseName = (path) => path.split('/').at(-1);

/** @returns one line for each call and file that `scan` did not list. */
export function findUnlisted(scan, { calls, files }) {
  const unlisted = [];
  for (const argv of calls) {
    const listed = scan.execution_stages.some(
      (stage) =>
        matchesStage(argv, stage) ||
        // `exec -a` and the like change only the name that the program is told.
        (stage.source_argv.length > stage.argv.length &&
          baseName(argv[0]) === argv[0] &&
          matchesStage([stage.argv[0], ...argv.slice(1)], stage)),
    );
    if (!listed) unlisted.push(`ran ${JSON.stringify(argv)}`);
  }
  const written = new Set(
    scan.shell_redirects.filter((one) => one.writes_file).map((one) => baseName(one.destination ?? '')),
  );
  for (const file of files) if (!written.has(baseName(file))) unlisted.push(`made or changed ${JSON.stringify(file)}`);
  return unlisted;
}
