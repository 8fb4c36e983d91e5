// Throws in the browser, when asked to.

import { useState } from 'react'

export default function ClientError() {
  const [broken, setBroken] = useState(false)
  if (broken) throw new Error('fixture browser failed')
  return (
    <>
      <title>Client error · Fixture</title>
      <h1>Client error</h1>
      <button type="button" onClick={() => setBroken(true)}>
        Break
      </button>
    </>
  )
}
