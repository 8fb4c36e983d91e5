import { expect, test } from 'vitest'
import { mdxStatements } from '../testing.ts'
import { exportedNames, parseModule } from './syntax.ts'

const namesOf = (code: string) => [...exportedNames(parseModule(mdxStatements(code), 'a.mdx'))].sort()

test('X6 the exports of MDX are found without a compiler, on their own lines', () => {
  const code = `import A from './a'
import B from './b'

export const getStaticProps = async () => {

  return { props: {} }
}

# Text

an import of goods
export const none = 1

\`\`\`js
export const sample = 1

export function getServerSideProps() {}
\`\`\`

export const { title, ...rest } = { title: <b>x</b> }
`
  expect(namesOf(code)).toEqual(['default', 'getStaticProps', 'rest', 'title'])
  const lines = mdxStatements(code).split('\n')
  expect([lines[1], lines[5], lines[8]]).toEqual(["import B from './b'", '  return { props: {} }', ''])
})

test.each([
  ['# Only text', ['default']],
  ['', ['default']],
  ['export const = 1\n\n# Text', []],
  ['~~~\nexport const a = 1\n\nexport const b = 1\n\n~~~~\n\nexport const c = 1', ['c', 'default']],
])('X6 the exports of %j are %j', (code, names) => {
  expect(namesOf(code)).toEqual(names)
})
