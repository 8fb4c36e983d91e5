// pages/sign-up.tsx
import { signUp } from '../actions/account.ts'
import { EntryForm } from '../components/entry-form.tsx'

export default function SignUp() {
  return (
    <main>
      <title>Sign up</title>
      <h1>Sign up</h1>
      <EntryForm action={signUp} label="Sign up" asksName />
    </main>
  )
}
