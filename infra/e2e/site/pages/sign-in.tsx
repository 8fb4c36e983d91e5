// pages/sign-in.tsx
import type { GetServerSideProps, InvalidInput, PageProps } from 'portico'
import { useActionState } from 'react'
import { type Refused, signIn } from '../actions/session.ts'

export const getServerSideProps = (async ({ query }) => ({
  props: { next: typeof query.next === 'string' ? query.next : '' },
})) satisfies GetServerSideProps

export default function SignIn({ next }: PageProps<typeof getServerSideProps>) {
  const [state, enter, pending] = useActionState<Refused | InvalidInput | undefined, FormData>(signIn, undefined)
  const refused = state && 'message' in state ? state : undefined
  return (
    <>
      <title>Sign in</title>
      <h1>Sign in</h1>
      <form action={enter}>
        <input type="hidden" name="next" value={next} />
        <label htmlFor="name">Name</label>
        <input id="name" name="name" autoComplete="username" defaultValue={refused?.name} required />
        <label htmlFor="password">Password</label>
        <input id="password" name="password" type="password" autoComplete="current-password" required />
        <button type="submit" disabled={pending}>
          Sign in
        </button>
      </form>
      <p role="status">{refused?.message}</p>
    </>
  )
}
