// pages/sign-in.tsx
import { Link } from 'portico'
import { signIn } from '../actions/account.ts'
import { EntryForm } from '../components/entry-form.tsx'
import { GithubButton } from '../components/github-button.tsx'

export default function SignIn() {
  return (
    <main>
      <title>Sign in</title>
      <h1>Sign in</h1>
      <EntryForm action={signIn} label="Sign in" />
      <GithubButton />
      <Link href="/sign-up">New here?</Link>
    </main>
  )
}
