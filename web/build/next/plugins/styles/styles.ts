// Stylesheets as Next.js configures them: PostCSS plugins that are listed by name, and `sassOptions` of next.config.*.

import type { NextPlugin } from '../next-plugin.ts'

export const styles: NextPlugin = {
  options: (_appDir, { postcss, sass }) => ({
    css: {
      ...(postcss && { postcss: { plugins: postcss } }),
      preprocessorOptions: { scss: sass, sass },
    },
  }),
}
