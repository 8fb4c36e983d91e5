// `compiler.styledComponents` of next.config.*: the transform of the bundler for styled-components.

import type { NextPlugin } from '../next-plugin.ts'

export const styledComponents: NextPlugin = {
  options: (_appDir, { styledComponents: options }) => ({
    oxc: { ...(options && { plugins: { styledComponents: options } }) },
  }),
}
