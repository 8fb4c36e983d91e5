// components/entry-form.tsx
import type { InvalidInput } from 'portico'
import { useActionState } from 'react'

type State = InvalidInput | undefined

interface Props {
  action: (state: State, form: FormData) => Promise<State>
  label: string
  asksName?: boolean
}

export function EntryForm({ action, label, asksName = false }: Props) {
  const [state, enter, pending] = useActionState(action, undefined)
  return (
    <form action={enter}>
      {asksName && (
        <label>
          Name{' '}
          <input
            name="name"
            autoComplete="name"
            defaultValue={state?.fields.name}
          />
        </label>
      )}
      <label>
        Address{' '}
        <input
          name="email"
          type="email"
          autoComplete="username"
          defaultValue={state?.fields.email}
        />
      </label>
      <label>
        Password <input name="password" type="password" />
      </label>
      <button type="submit" disabled={pending}>
        {label}
      </button>
      <p role="status">{state?.issues[0]?.message}</p>
    </form>
  )
}
