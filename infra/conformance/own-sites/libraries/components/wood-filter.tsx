// components/wood-filter.tsx
import { parseAsInteger, parseAsString, useQueryState } from 'nuqs'

const text = parseAsString.withDefault('')
const page = parseAsInteger.withDefault(1)

export function WoodFilter() {
  const [wood, setWood] = useQueryState('wood', text)
  const [shown, show] = useQueryState('page', page)
  const options = { shallow: false, history: 'push' } as const
  return (
    <>
      <label>
        Wood{' '}
        <input value={wood} onChange={(event) => setWood(event.target.value)} />
      </label>
      <button type="button" onClick={() => show(shown + 1, options)}>
        Page {shown}
      </button>
    </>
  )
}
