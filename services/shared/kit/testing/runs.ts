// How often a property is tried: a few times by `npm test`, many times by a `.long.ts` file that imports the test.

/** `many` under `npm run test:long`, otherwise `few`. */
export function runs(few: number, many: number): number {
  return process.env.PORTICO_TEST_LONG ? many : few
}
