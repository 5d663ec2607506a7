// Each row of the reference of other errors is the end of a real call, with the class the reference names.

import { expect, test } from 'vitest';
import { OTHER_ERRORS } from '../../lib/errors/other-errors.ts';
import { catchError } from '../helpers/catch-error.ts';
import { PROVOKE } from './provoke-other.ts';

test.each(Object.entries(PROVOKE))('%s', async (code, [raisedBy, provoke]) => {
  expect(await catchError(provoke)).toMatchObject({ code, name: raisedBy });
});

test('every row of the reference is met, with its class', () => {
  const met = Object.entries(PROVOKE).map(([code, [raisedBy]]) => `${code} ${raisedBy}`);
  expect(met.sort()).toEqual(OTHER_ERRORS.map(({ code, raisedBy }) => `${code} ${raisedBy}`).sort());
});
