import Head from 'next/head'
import { useReducer } from 'react'
import { State } from '../../../components/state'

export default function Inner() {
  const [isShown, toggle] = useReducer((before: boolean) => !before, true)
  return (
    <main>
      <Head>
        <title>Outer</title>
      </Head>
      {isShown ? (
        <Head>
          <title>Inner</title>
        </Head>
      ) : null}
      <State />
      <button id="toggle" type="button" onClick={toggle}>
        toggle
      </button>
    </main>
  )
}
