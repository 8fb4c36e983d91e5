import { expect, test } from 'vitest'
import { compileStyles } from '../../testing.ts'

const compile = (code: string) => compileStyles({ code, path: '/app/a.tsx', file: 'a.tsx', minify: true })?.code ?? ''

/** The class of the first style that is not of all elements. */
const classOf = (code: string) => /jsx-[0-9a-f]{16}/.exec(code)?.[0] ?? ''

test('X12 a module without styles stays as it is', () => {
  expect(compile('export const a = <style>{`p {}`}</style>')).toBe('')
})

test('X12 each element next to a style gets its class, components and other elements do not', () => {
  const code = compile(
    'export const a = <main><p className=\'k\'>{list.map(() => <i key="a" />)}</p><Card><b /></Card><style jsx>{`p { top: 0 }`}</style></main>\nexport const b = <u />',
  )
  const name = classOf(code)
  expect(code.split('\n')[0]).toBe(
    `export const a = <main className={"${name}"}><p className={"${name}" + " " + ("k" || "")}>{list.map(() => <i className={"${name}"} key="a" />)}</p>` +
      `<Card><b className={"${name}"} /></Card><_JSXStyle id={"${name.slice(4)}"}>{"p.${name}{top:0}"}</_JSXStyle></main>`,
  )
  expect(code.split('\n').slice(1).join('\n')).toBe(
    'export const b = <u />\nimport _JSXStyle from "styled-jsx/style"\n',
  )
})

test.each([
  ['<p className={a && "b"} />', '<p className={C + " " + ((a && "b") || "")} />'],
  [
    '<p {...a} className="&amp;b" id="i" />',
    '<p {...a}  id="i" className={C + " " + (("&b" ?? (a)?.className) || "")} />',
  ],
  ['<p className={b} {...a} />', '<p  {...a} className={C + " " + (((a)?.className ?? (b)) || "")} />'],
  ['<p {...a()} />', '<p {...a()} className={C} />'],
  ['<a.b />', '<a.b />'],
])('X12 keeps the classes of an element: %s', (element, expected) => {
  const code = compile(`const a = <>${element}<style jsx>{\`p { top: 0 }\`}</style></>`)
  expect(code).toContain(expected.replace('C', `"${classOf(code)}"`))
})

test('X12 a name of the function may be the name of an element', () => {
  const code = compile('function A({ as: Tag }) { return <Tag><Other /><style jsx>{"a { top: 0 }"}</style></Tag> }')
  expect(code).toContain(`<Tag className={"${classOf(code)}"}><Other />`)
})

test('X12 a style with values has a class for them', () => {
  const code = compile('const A = ({ c }) => <p><style jsx>{`p { color: ${c} }`}</style></p>')
  const id = /id=\{"(\w+)"\}/.exec(code)?.[1]
  expect(code).toContain(`<p className={_JSXStyle.dynamic([["${id}", [c]]])}>`)
  expect(code).toContain(
    `<_JSXStyle id={"${id}"} dynamic={[c]}>{\`p.__jsx-style-dynamic-selector{color:\${c}}\`}</_JSXStyle>`,
  )
})

test('X12 a style of all elements gives no class', () => {
  const code = compile('const a = <p><style jsx global>{`body { margin: 0 }`}</style></p>')
  expect(code).toMatch(/^const a = <p><_JSXStyle id=\{"\w+"\}>\{"body\{margin:0\}"\}<\/_JSXStyle><\/p>/)
})

test.each(['\\201C', '\\\\201C'])('X12 an escape may be written as CSS or as JavaScript has it: %s', (written) => {
  const code = compile(`const a = <p><style jsx global>{\`p::after { content: "${written}" }\`}</style></p>`)
  expect(code).toContain('{"p:after{content:\\"\u201c\\"}"}')
})

test('X12 compiles the styles of a module that has nothing else', () => {
  const code = compile(
    "import css, { resolve as r } from 'styled-jsx/css'\nexport const a = css`p { top: ${t} }`\nexport default css.global`b { top: 0 }`\nexport const c = r`i { top: 0 }`",
  )
  expect(code).toMatch(
    /export const a = \(Object\.assign\(new String\(`p\.jsx-(\w+)\{top:\$\{t\}\}`\), \{ __hash: "\1" \}\)\)/,
  )
  expect(code).toMatch(/export default \(Object\.assign\(new String\("b\{top:0\}"\), \{ __hash: "\w+" \}\)\)/)
  expect(code).toMatch(
    /const c = \(\{ className: "jsx-(\w+)", styles: _jsxElement\(_JSXStyle, \{ id: "\1" \}, "i\.jsx-\1\{top:0\}"\) \}\)/,
  )
  expect(code).toContain('import { createElement as _jsxElement } from "react"')
})

test('X12 a style of another module has its class from there', () => {
  const code = compile("import { card } from './styles'\nconst a = <p><style jsx>{card}</style></p>")
  expect(code).toContain('<p className={"jsx-" + card.__hash}><_JSXStyle id={card.__hash}>{card}</_JSXStyle></p>')
})

test('X12 the lines of the module stay', () => {
  const code = compile("'use client'\nconst a = <p>\n<style jsx>{`\np {\ntop: 0\n}\n`}</style>\n</p>\nthrow 1")
  expect(code.split('\n').indexOf('throw 1')).toBe(8)
  expect(code.startsWith("'use client'\n")).toBe(true)
})

test.each([
  ['const a = <p>\n<style jsx>p</style></p>', 'a.tsx:2:1: <style jsx> must have one template'],
  ['const a = <p>\n<style jsx>{f()}</style></p>', 'a.tsx:2:1: <style jsx> must have one template'],
  [
    'const a = <p><style jsx>{``}</style><b>{x && <style jsx>{``}</style>}</b></p>',
    'a.tsx:1:46: <style jsx> must be a child of',
  ],
  ['const a = <p><style jsx>{`\nb {}\n p { color: red`}</style></p>', 'a.tsx:3:2: the style is no CSS: Unclosed block'],
  [
    'const a = <p><style jsx>{`\nb {}\n p: {}`}</style></p>',
    'a.tsx:3:2: the style is no CSS: Expected a pseudo-class or pseudo-element.',
  ],
  [
    "import css from 'styled-jsx/css'\nconst f = (c) => css`p { color: ${c} }`",
    'a.tsx:2:18: a style with values of a function',
  ],
])('X12 refuses %j', (code, message) => {
  expect(() => compile(code)).toThrow(message)
})
