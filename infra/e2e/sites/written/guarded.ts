// A site with middleware whose builds differ: which of them guards `/secret` is an option. Everything that a build sends has
// its name, so that a response shows which build made it.

import type { SiteFiles } from '../make-site.ts'

interface GuardedOptions {
  /** Shown by everything that the build sends. */
  build: string
  /** Whether middleware refuses `/secret` and all below `/secrets`. */
  isGuarding: boolean
}

/** Every path is matched, so that each request needs a verdict. */
export function guardedSite({ build, isGuarding }: GuardedOptions): SiteFiles {
  const page = (text: string) => `export default function Page() {
  return <p id="mark">${text} of ${build}</p>
}
`
  const handler = (text: string) => `import type { ApiHandler } from 'portico'
const handler: ApiHandler = (_request, response) => response.json({ text: '${text} of ${build}' })
export default handler
`
  return {
    'package.json': '{"name":"guarded","private":true,"type":"module"}',
    'middleware.ts': `import { unauthorized } from 'portico'
import { next } from 'portico/server'

export function middleware(request: Request) {
  const { pathname } = new URL(request.url)
  if (${isGuarding} && /^\\/(?:api\\/)?secret/.test(pathname)) unauthorized()
  return next({ headers: { 'x-guarded-by': '${build}' } })
}
`,
    'pages/index.tsx': page('home'),
    'pages/secret.tsx': page('secret'),
    'pages/me.tsx': `export function getServerSideProps() {
  return { props: {} }
}
${page('me')}`,
    'pages/form.tsx': `import { useActionState } from 'react'
import { save } from '../actions/save.ts'
export default function Form() {
  const [result, action] = useActionState(save, undefined)
  return <form action={action}><input name="word" /><p id="mark">form of ${build}</p><output>{String(result ?? '')}</output></form>
}
`,
    'actions/save.ts': `'use server'
export async function save(_previous: unknown, form: { word: string }) {
  return 'saved by ${build} ' + form.word
}
`,
    'pages/api/hello.ts': handler('hello'),
    'pages/api/secret.ts': handler('secret'),
    'public/note.txt': `note of ${build}\n`,
    'public/secret.txt': `secret of ${build}\n`,
    'public/same.txt': 'same\n',
  }
}
