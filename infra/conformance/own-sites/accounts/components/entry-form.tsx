// components/entry-form.tsx
import type { InvalidInput } from 'portico'
import { type ReactNode, useActionState } from 'react'

type State = InvalidInput | { kind: 'refused'; message: string } | undefined

interface Props {
  action: (state: State, form: FormData) => Promise<State>
  label: string
  children?: ReactNode
}

export function EntryForm({ action, label, children }: Props) {
  const [state, enter, pending] = useActionState(action, undefined)
  const refused = state && ('issues' in state ? state.issues[0] : state)
  return (
    <form action={enter}>
      {children}
      <label>
        Address <input name="email" type="email" autoComplete="username" />
      </label>
      <label>
        Password <input name="password" type="password" />
      </label>
      <button type="submit" disabled={pending}>
        {label}
      </button>
      <p role="status">{refused?.message}</p>
    </form>
  )
}
