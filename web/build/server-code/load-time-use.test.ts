import { describe, expect, it } from 'vitest'
import { isUsedOnLoad, requiresOnLoad } from '../testing.ts'

const used = (code: string, rendered = code) => isUsedOnLoad(code, 'x.js', 'util', rendered)

describe('a module that uses an import on load', () => {
  it.each([
    "const util = require('util'); util.inherits(A, B)",
    "require('util').inherits(A, B)",
    "const { inherits } = require('util'); inherits(A, B)",
    "const inherits = require('util').inherits; exports.a = inherits(A, B)",
    "const Base = require('util'); module.exports = class A extends Base {}",
    "import { Base } from 'util'; export class A extends Base {}",
    "import Base from 'util'; export const a = new Base()",
    "import * as util from 'util'; export const encode = util.promisify(x)",
    "import util from 'util'; const custom = util.inspect.custom",
    "var util = require('util'), b = util.promisify.custom",
  ])('F2 is found: %s', (code) => {
    expect(used(code)).toBe(true)
  })

  it.each([
    "const util = require('util'); exports.a = () => util.inspect(1)",
    "const { inspect } = require('util'); function a() { inspect() }",
    "const util = require('util'); if (isNode) util.inherits(A, B)",
    "const util = require('util'); isNode && util.inherits(A, B)",
    "const util = require('util'); const a = isNode ? util.inherits(A, B) : 1",
    "let util; try { util = require('util'); util.inherits(A, B) } catch {}",
    "const util = require('util'); const custom = util.inspect?.custom",
    "const util = require('util'); const custom = util?.inspect.custom",
    "const { inspect = other } = require('util'); inspect()",
    "const util = require('util'); const inspect = util.inspect",
    "const util = require('util'); util.hasOwnProperty('a')",
    "const util = require('other'); util.inherits(A, B)",
    "import { a } from 'util'; const b = /* @__PURE__ */ a()",
    "import { a } from 'util'; for (const b of c) a()",
    "var util = require('util'); util = other; util.inherits(A, B)",
    "class A { static a = require('util').b() }",
  ])('F2 is not assumed: %s', (code) => {
    expect(used(code)).toBe(false)
  })

  it('F2 ignores a class that tree shaking removed', () => {
    const code = "import { Base } from 'util'; export class A extends Base {}; export const b = 1"
    expect(used(code, 'const b = 1;')).toBe(false)
  })
})

describe('a module that loads another one', () => {
  it.each([
    ["require('./lib/a')", '/n/node_modules/p/lib/a.js', true],
    ["exports.a = require('../lib')", '/n/node_modules/p/lib/index.js', true],
    ["export * from './a.js'", '/n/node_modules/p/a.js', true],
    ["const b = require('b')", '/n/node_modules/b/main.js', true],
    ["const b = require('@c/b')", '/n/node_modules/@c/b/main.js', true],
    ["exports.a = () => require('./a')", '/n/node_modules/p/a.js', false],
    ["if (isNode) require('./a')", '/n/node_modules/p/a.js', false],
    ["void import('./a.js')", '/n/node_modules/p/a.js', false],
    ["require('b'); if (isNode) require('b/node')", '/n/node_modules/b/node.js', false],
    ["require('./b')", '/n/node_modules/p/a.js', false],
  ])('F2 %s: %s is %s', (code, next, expected) => {
    expect(requiresOnLoad(code, 'x.js', next)).toBe(expected)
  })
})
