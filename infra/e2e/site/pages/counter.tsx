// Actions whose running can be counted, called in each of the ways there are. In cacheable HTML: no data function.

import { useActionState, useState, useTransition } from 'react'
import { add, count, fail, signIn, upload } from '../actions/notes.ts'

export default function Counter() {
  const [counted, countAction, pending] = useActionState(count, undefined)
  const [file, uploadAction] = useActionState(upload, undefined)
  const [sum, setSum] = useState<number>()
  const [adding, startAdding] = useTransition()
  return (
    <>
      <title>Counter · Fixture</title>
      <h1>Counter</h1>
      <form action={countAction} id="count">
        <input name="waitMs" defaultValue="0" aria-label="Wait" />
        <button type="submit">Count</button>
      </form>
      <p id="counted">{pending ? 'counting' : counted && 'count' in counted ? counted.count : 'none'}</p>
      <button type="button" id="add" onClick={() => startAdding(async () => setSum(await add(2, 3)))}>
        Add
      </button>
      <p id="sum">{adding ? 'adding' : (sum ?? 'none')}</p>
      <form action={uploadAction} id="upload">
        <input type="file" name="picture" aria-label="Picture" />
        <button type="submit">Upload</button>
      </form>
      <p id="uploaded">{file && 'size' in file ? `${file.name} ${file.size}` : 'none'}</p>
      <form action={signIn} id="sign-in">
        <input name="user" aria-label="User" />
        <button type="submit">Sign in</button>
      </form>
      <form action={fail} id="fail">
        <button type="submit">Fail</button>
      </form>
    </>
  )
}
