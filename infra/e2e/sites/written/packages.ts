// Over the small site with third parties: packages in node_modules, and pages and handlers that use them.

import type { SiteFiles } from '../make-site.ts'

export const PACKAGES: SiteFiles = {
  'node_modules/imports-react/package.json': '{"name":"imports-react","type":"module","exports":"./index.js"}',
  'node_modules/imports-react/index.js': `import { createElement, useState, version } from 'react'
export function Imported() {
  const [count, setCount] = useState(0)
  return createElement('button', { id: 'imported', onClick: () => setCount(count + 1) }, 'imported ' + count)
}
export { version }
`,
  'node_modules/requires-react/package.json': '{"name":"requires-react","main":"index.cjs"}',
  'node_modules/requires-react/index.cjs': `const { createElement, useState, version } = require('react')
exports.Required = function Required() {
  const [count, setCount] = useState(0)
  return createElement('button', { id: 'required', onClick: () => setCount(count + 1) }, 'required ' + count)
}
exports.version = version
`,
  'node_modules/brings-files/package.json': '{"name":"brings-files","type":"module","exports":"./index.js"}',
  'node_modules/brings-files/index.js': `import './style.css'
import { createElement } from 'react'
import { usePathname } from 'portico'
import data from './data.json'
export function Brought() {
  return createElement('p', { id: 'brought', className: 'brought' }, data.word + ' at ' + usePathname())
}
`,
  'node_modules/brings-files/style.css': '.brought { color: rgb(7, 8, 9); }',
  'node_modules/brings-files/data.json': '{"word":"brought"}',
  'node_modules/both-forms/package.json': '{"name":"both-forms","main":"lib/index.js","module":"es/index.js"}',
  'node_modules/both-forms/lib/index.js': 'exports.form = "commonjs"',
  'node_modules/both-forms/lib/upper.js':
    'exports.__esModule = true; exports.named = "named"; exports.default = (text) => text.toUpperCase()',
  'node_modules/both-forms/es/index.js': `import upper, { named } from '../lib/upper'
import wrapped, { Kind } from 'wraps-commonjs'
export const form = [upper('module'), named, typeof Kind, wrapped.word].join(' ')
`,
  'node_modules/wraps-commonjs/package.json':
    '{"name":"wraps-commonjs","exports":{"import":"./index.mjs","require":"./index.cjs"}}',
  'node_modules/wraps-commonjs/index.mjs': `import commonJs, { word } from './index.cjs'
export const Kind = commonJs.Kind
export default { word }
`,
  'node_modules/wraps-commonjs/index.cjs': 'exports.Kind = class Kind {}; exports.word = "wrapped"',
  'node_modules/extends-events/package.json': '{"name":"extends-events","type":"module","exports":"./index.js"}',
  'node_modules/extends-events/index.js': `import { EventEmitter } from 'node:events'
export class Emitter extends EventEmitter {}
`,
  'node_modules/inherits-events/package.json': '{"name":"inherits-events","main":"index.js"}',
  'node_modules/inherits-events/index.js': `const { inherits } = require('util')
exports.Old = function Old() {}
inherits(exports.Old, require('events').EventEmitter)
`,
  'tsconfig.json': '{ "compilerOptions": { "paths": { "@/*": ["./*"] } } }',
  'portico.config.ts': `import { defineConfig } from 'portico/config'
import { csp, publicEnv } from '@/lib/csp.ts'
import { redirects } from '@/lib/redirects.ts'
export default defineConfig({
  transpilePackages: ['both-forms'], redirects, csp, publicEnv, browserStubs: ['extends-events', 'inherits-events'] })
`,
  'lib/redirects.ts': `export const redirects = [{ source: '/moved', destination: '/files', permanent: false }]`,
  'components/forms.tsx': `import { form } from 'both-forms'
export function Forms() {
  return <p id="forms">{form}</p>
}
`,
  'pages/files.tsx': `import { Brought } from 'brings-files'
import { Forms } from '@/components/forms.tsx'
export default function Files() {
  return <main><Brought /><Forms /></main>
}
`,
  'pages/api/forms.ts': `import type { ApiHandler } from 'portico'
import { form } from 'both-forms'
import { Forms } from '@/components/forms.tsx'
const handler: ApiHandler = (_request, response) => {
  response.json([form, typeof Forms])
}
export default handler
`,
  'pages/packages.tsx': `import 'client-only'
import { Emitter } from 'extends-events'
import { Imported } from 'imports-react'
import { Old } from 'inherits-events'
import { Required } from 'requires-react'
export default function Packages() {
  return <main><Imported /><Required /><output>{typeof Emitter} {typeof Old}</output></main>
}
`,
  'pages/api/packages.ts': `import type { ApiHandler } from 'portico'
import { version as imported } from 'imports-react'
import { version as required } from 'requires-react'
const handler: ApiHandler = (_request, response) => {
  response.json([imported, required])
}
export default handler
`,
}
