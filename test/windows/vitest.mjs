// What the test files import as `vitest` where vitest itself is too heavy: vitest's own expect, on node:test.
//
// Only what the files use is here; anything else is a missing import, and so an error.

import { after, describe as nodeDescribe, test as nodeTest } from 'node:test';
import { format } from 'node:util';
import {
  ASYMMETRIC_MATCHERS_OBJECT,
  JestAsymmetricMatchers,
  JestChaiExpect,
  JestExtend,
  setState,
} from '@vitest/expect';
import { GLOBAL_EXPECT, customMatchers, getState } from '@vitest/expect';
import * as chai from 'chai';

const TIMEOUT_MS = 240_000;

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);

export const expect = (value, message) => chai.expect(value, message);
Object.assign(expect, chai.expect);
Object.assign(expect, globalThis[ASYMMETRIC_MATCHERS_OBJECT]);
expect.getState = () => getState(expect);
expect.setState = (state) => setState(state, expect);
expect.extend = (matchers) => chai.expect.extend(expect, matchers);
setState({ assertionCalls: 0, isExpectingAssertions: false, expectedAssertionsNumber: null }, expect);
globalThis[GLOBAL_EXPECT] = expect;
expect.extend(customMatchers);

export const afterAll = (work) => after(work);

function makeTest(name, options, body) {
  if (typeof options === 'function') return nodeTest(name, { timeout: TIMEOUT_MS }, () => options());
  return nodeTest(name, { timeout: TIMEOUT_MS, ...options }, () => body());
}

/** `$field` from a row that is an object, then %s and its kind in order, as vitest does. */
function titleOf(title, row) {
  const words = Array.isArray(row) ? row : [row];
  let text = title;
  if (typeof row === 'object' && row !== null) {
    text = text.replace(/\$(\w+)/g, (whole, field) => (Object.hasOwn(row, field) ? String(row[field]) : whole));
  }
  const places = text.match(/%[sdijoO]/g)?.length ?? 0;
  return places === 0 ? text : format(text, ...words.slice(0, places));
}

const each = (register) => (rows) => (title, body, timeout) => {
  if (rows.length === 0) throw new Error(`no rows for "${title}"`);
  for (const row of rows) {
    register(
      titleOf(title, row),
      (...rest) => (Array.isArray(row) ? body(...row, ...rest) : body(row, ...rest)),
      timeout,
    );
  }
};

export const test = Object.assign((name, options, body) => makeTest(name, options, body), {
  each: each((name, body) => makeTest(name, body)),
  runIf: (condition) => (condition ? test : (name) => nodeTest(name, { skip: 'not for this row or system' }, () => {})),
});

export const describe = Object.assign((name, body) => nodeDescribe(name, () => body()), {
  each: each((name, body) => nodeDescribe(name, () => body())),
});
