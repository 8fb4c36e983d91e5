// components/sign-up-form.tsx
import { useActionState } from 'react'
import { signUp } from '../actions/sign-up.ts'
import { FieldIssues } from './field-issues.tsx'

export function SignUpForm() {
  const [state, register, pending] = useActionState(signUp, undefined)
  return (
    <form action={register}>
      <label>
        E-mail <input name="email" />
      </label>
      <FieldIssues of={state} path="email" />
      <label>
        Password <input name="password" type="password" />
      </label>
      <FieldIssues of={state} path="password" />
      <FieldIssues of={state} path="" />
      <button type="submit" disabled={pending}>
        Register
      </button>
      {state && 'kind' in state && <p>Registered: {state.email}</p>}
    </form>
  )
}
