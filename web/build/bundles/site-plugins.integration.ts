// Vite plugins and PostCSS of an app folder, in a build as its author runs it.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { testAtLength } from '@portico/shared/kit/testing/runs.ts'
import { afterAll, describe, expect, test } from 'vitest'
import { removeFolders } from '../testing/folders.ts'
import { createApp, filesOf, runBuild } from '../testing/small-app.ts'

/** A module that holds for which bundle its plugin was called. */
const BUNDLE_PLUGIN = `const bundlePlugin = ({ bundle, dev }) => ({
  name: 'says-bundle',
  resolveId: (id) => (id === 'virtual:bundle' ? '\\0virtual:bundle' : undefined),
  load: (id) => (id === '\\0virtual:bundle' ? \`export const bundle = 'made for \${bundle}, \${dev}'\` : undefined),
})
`
const MAPS_PLUGIN = "{ name: 'writes-maps', config: () => ({ build: { sourcemap: true } }) }"
const CONFIG = `${BUNDLE_PLUGIN}export default { sourceMaps: false, plugins: (context) => [[bundlePlugin(context), false], Promise.resolve(${MAPS_PLUGIN})] }`

afterAll(removeFolders)

async function readAll(dir: string): Promise<string> {
  const names = (await filesOf(dir)).filter((name) => /\.(js|css|json)$/.test(name))
  return (await Promise.all(names.map((name) => readFile(join(dir, name), 'utf8')))).join('\n')
}

describe('plugins of portico.config.ts', () => {
  testAtLength(
    'F3 E4 are called once for each bundle, change no build id, and bring no source map where there are none',
    async () => {
      const files = {
        'pages/plain.js': "import { bundle } from 'virtual:bundle'\nexport default function Plain() { return bundle }",
        'pages/api/bundle.ts':
          "import { bundle } from 'virtual:bundle'\nexport default (_, response) => response.send(bundle)",
      }
      const dir = await createApp({ ...files, 'portico.config.ts': CONFIG })
      const { code, output } = await runBuild(dir)
      expect(output).toContain('Build ')
      expect(code).toBe(0)
      const holding = async (folder: string) =>
        [...(await readAll(join(dir, 'dist', folder))).matchAll(/made for \w+, \w+/g)].map(String)
      expect(new Set(await holding('client'))).toEqual(new Set(['made for browser, false']))
      expect(new Set(await holding('server'))).toEqual(new Set(['made for server, false']))
      expect(new Set(await holding('actions'))).toEqual(new Set(['made for actions, false']))
      expect(await readFile(join(dir, 'dist/manifest.json'), 'utf8')).not.toContain('says-bundle')
      // E4: without source maps there are none, whatever a plugin sets.
      const maps = [...(await filesOf(join(dir, 'dist/client'))), ...(await filesOf(join(dir, '.portico')))]
      expect(maps.filter((name) => name.includes('.map'))).toEqual([])
      expect((await filesOf(join(dir, 'dist/server'))).filter((name) => name.endsWith('.map'))).not.toEqual([])
    },
  )

  testAtLength('F3 PostCSS and its plugins find the app folder as the working directory', async () => {
    const dir = await createApp({
      'postcss.config.mjs': `const here = () => ({ postcssPlugin: 'here', Once(root, { Declaration }) {
  root.walkRules('body', (rule) => { rule.append(new Declaration({ prop: '--cwd', value: JSON.stringify(process.cwd()) })) })
} })
here.postcss = true
export default { plugins: [here()] }`,
    })
    const { code, output } = await runBuild(dir)
    expect(code, output).toBe(0)
    expect(await readAll(join(dir, 'dist/client'))).toContain(`--cwd:"${dir}"`)
  })

  test('F3 a plugin that sets a folder is an error with its name', async () => {
    const config = "export default { plugins: () => [{ name: 'moves', config: () => ({ root: '/' }) }] }"
    const { code, output } = await runBuild(await createApp({ 'portico.config.ts': config }))
    expect(output).toContain('plugins: "moves" sets root, which Portico sets; remove the plugin or its option')
    expect(code).toBe(1)
  })
})
