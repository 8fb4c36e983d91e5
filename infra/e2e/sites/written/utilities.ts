// An overlay for a site: utility classes that a PostCSS plugin finds in the sources. The plugin reports the files that it
// reads as Tailwind does, each file and the folders, and looks for them in the working directory.

import type { SiteFiles } from '../make-site.ts'
import { SMALL } from './small.ts'

/** `pad-7` in any source is a class with a padding of 7 pixels; the class with most pixels wins. */
const PLUGIN = `import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDERS = ['pages', 'components', 'lib']

const utilities = {
  postcssPlugin: 'utilities',
  Once(root, { result }) {
    root.walkAtRules('utilities', (rule) => {
      const classes = new Map()
      const report = (message) =>
        result.messages.push({ ...message, plugin: 'utilities', parent: result.opts.from })
      for (const folder of FOLDERS.map((name) => join(process.cwd(), name))) {
        for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
          if (!/\\.tsx?$/.test(entry.name)) continue
          const file = join(entry.parentPath, entry.name)
          report({ type: 'dependency', file })
          for (const [name, pixels] of readFileSync(file, 'utf8').matchAll(/\\bpad-(\\d+)\\b/g)) classes.set(name, pixels)
        }
        report({ type: 'dir-dependency', dir: folder, glob: '**/*' })
      }
      const sorted = [...classes].sort(([, left], [, right]) => left - right)
      rule.replaceWith(sorted.map(([name, pixels]) => \`.\${name} { padding-top: \${pixels}px }\`).join('\\n'))
    })
  },
}

export default { plugins: [utilities] }
`

export const UTILITIES: SiteFiles = {
  'postcss.config.mjs': PLUGIN,
  'styles/site.css': `${String(SMALL['styles/site.css'])}@utilities;\n`,
  'components/greeting.tsx': `export function Greeting() {
  return <h1 id="greeting" className="pad-1">Hello one</h1>
}
`,
}
