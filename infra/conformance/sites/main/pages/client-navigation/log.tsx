import { useRouter } from 'next/router'
import { useEffect, useState } from 'react'
import { State } from '../../components/state'

let runs = 0

export const getServerSideProps = async () => ({ props: { run: ++runs } })

const at = '/client-navigation/log'

/** What the options of a history entry have besides those of the router. */
interface Entry {
  loud: number
  quiet: number
}

const read = (): Entry => ({ loud: 0, quiet: 0, ...window.history.state?.options })

/** Counts in the options of the history entry: each push takes those of the entry before. */
export default function LogBook({ run }: { run: number }) {
  const { push, asPath } = useRouter()
  const [entry, setEntry] = useState<Entry>()
  useEffect(() => {
    const { loud, quiet } = read()
    if (asPath) setEntry({ loud, quiet })
  }, [asPath])
  const write = (options: object) => void push(at, `${at}#line-${Math.random()}`, { ...read(), ...options })
  return (
    <main>
      <State props={{ run, entry }} />
      <button id="loud" type="button" onClick={() => write({ loud: read().loud + 1, shallow: false })}>
        loud
      </button>
      <button id="quiet" type="button" onClick={() => write({ quiet: read().quiet + 1, shallow: true })}>
        quiet
      </button>
    </main>
  )
}
