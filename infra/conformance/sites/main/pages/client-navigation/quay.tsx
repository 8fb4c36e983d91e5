import Link from 'next/link'
import { Rows } from '../../components/client-navigation/rows'
import { State } from '../../components/state'

let runs = 0

export const getServerSideProps = async () => ({ props: { run: ++runs } })

export default function Quay({ run }: { run: number }) {
  return (
    <main>
      <div style={{ position: 'fixed', right: 0 }}>
        <State props={{ run }} />
        <Link id="sign" href="#sign">
          sign
        </Link>
        <a id="sign-anchor" href="#anchor">
          anchor
        </a>
        <Link id="whole" href="/client-navigation/quay">
          whole
        </Link>
        <Link id="empty" href="#">
          empty
        </Link>
        <Link id="row" href="#row-200">
          row
        </Link>
        <Link id="buoy" href="#mooring">
          buoy
        </Link>
        <Link id="buoy-still" href="#mooring" scroll={false}>
          buoy
        </Link>
        <Link id="word" href="#港口">
          word
        </Link>
        <Link id="up" href="#top">
          up
        </Link>
      </div>
      <Rows />
      <p {...{ name: 'mooring' }}>buoy</p>
      <p id="港口">word</p>
      <div style={{ height: 2000 }} />
    </main>
  )
}
