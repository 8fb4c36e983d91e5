// Control flow and faults thrown in the browser, each behind a button.

import { notFound, redirect } from 'portico'
import { useLayoutEffect, useState } from 'react'

type Fault = 'not-found' | 'redirect' | 'endless'

export default function Thrown() {
  const [fault, setFault] = useState<Fault>()
  if (fault === 'not-found') notFound()
  if (fault === 'redirect') redirect('/about')
  return (
    <>
      <title>Thrown · Fixture</title>
      <h1>Thrown</h1>
      {(['not-found', 'redirect', 'endless'] as const).map((name) => (
        <button key={name} id={name} type="button" onClick={() => setFault(name)}>
          {name}
        </button>
      ))}
      {fault === 'endless' && <Endless />}
    </>
  )
}

/** Never settles: React gives up after fifty nested updates. */
function Endless() {
  const [count, setCount] = useState(0)
  useLayoutEffect(() => setCount(count + 1))
  return <p>{count}</p>
}
