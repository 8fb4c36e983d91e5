// pages/index.tsx
import { signIn } from 'next-auth/react'

export default function Home() {
  return (
    <main>
      <title>Welcome</title>
      <h1>Welcome</h1>
      {/* The page of the library has a button for each provider, for browsers without JavaScript. */}
      <a
        href="/api/auth/signin?callbackUrl=/account"
        onClick={(event) => {
          event.preventDefault()
          void signIn('company', { callbackUrl: '/account' })
        }}
      >
        Sign in
      </a>
    </main>
  )
}
