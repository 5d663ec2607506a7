// What eslint checks beyond formatting: floating promises above all, since this package is about endings.

import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

const NODE_GLOBALS = [
  'process',
  'console',
  'Buffer',
  'URL',
  'setTimeout',
  'clearTimeout',
  'setImmediate',
  'performance',
  'AbortController',
  'AbortSignal',
];

export default defineConfig(
  { ignores: ['build/**', 'dist/**', 'prebuilds/**', 'node_modules/**'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: process.cwd() } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      // Needed where `noUncheckedIndexedAccess` has proved nothing; each use says why.
      '@typescript-eslint/no-non-null-assertion': 'error',
      'no-restricted-syntax': [
        'error',
        {
          selector: 'Program > ExpressionStatement > AwaitExpression',
          message: 'A module that awaits cannot be required.',
        },
      ],
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off', // JSON.parse of what a child printed
      '@typescript-eslint/no-unsafe-member-access': 'off',
    },
  },
  {
    files: ['test/examples/**/*.ts'],
    rules: { 'no-restricted-syntax': 'off' }, // programs, which nobody requires
  },
  {
    files: ['**/*.mjs'],
    languageOptions: { globals: Object.fromEntries(NODE_GLOBALS.map((name) => [name, 'readonly'])) },
  },
);
