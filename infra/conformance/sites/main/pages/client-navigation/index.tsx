import Link from 'next/link'
import Router from 'next/router'
import { useReducer } from 'react'
import { State } from '../../components/state'

const at = '/client-navigation'

/** A value of the module: it is lost when the browser loads a document. */
let steps = 0

const tides = { pathname: `${at}/tides`, query: { id: '10' } }
const tidesAddress = { pathname: `${at}/tides/of/10`, hash: 'high' }

/** Every value that a query may be made of, also values that are no text. */
const values = ['', undefined, null, 0, false, [], {}, Number.NaN, new Date(1234), /rope/]
const odd = { ...Object.fromEntries(values.map((value, index) => [`v${index}`, value])), list: values }

export default function Harbour() {
  const [, render] = useReducer((count: number) => count + 1, 0)
  const step = () => {
    steps++
    render()
  }
  return (
    <main id="harbour">
      <State props={{ steps }} />
      <button id="step" type="button" onClick={step}>
        step
      </button>
      <Link id="pier" href={`${at}/pier`}>
        pier
      </Link>
      <Link id="pier-instead" href={`${at}/pier`} replace>
        pier
      </Link>
      <Link id="pier-window" href={`${at}/pier`} target="_blank">
        pier
      </Link>
      <svg width={20} height={20} role="img" aria-label="pier">
        <Link id="pier-drawn" href={`${at}/pier`}>
          <path d="M0 0h20v20H0z" />
        </Link>
      </svg>
      <Link id="moved" href={`${at}/moved`}>
        moved
      </Link>
      <Link id="tides" href={tides} as={tidesAddress}>
        tides
      </Link>
      <button id="tides-push" type="button" onClick={() => void Router.push(tides, tidesAddress)}>
        tides
      </button>
      <button id="odd" type="button" onClick={() => void Router.push({ pathname: `${at}/query`, query: odd as never })}>
        odd
      </button>
      <Link id="sign-as" href={`${at}/sign`} as={`${at}/another/sign`}>
        sign
      </Link>
      <Link id="sign" href={`${at}/sign`}>
        sign
      </Link>
      <Link id="bell" href={`${at}/bell?count=1`}>
        bell
      </Link>
      <Link id="again" href={`${at}/again`}>
        again
      </Link>
      <Link id="quay-row" href={`${at}/quay#row-200`}>
        row
      </Link>
      <Link id="quay-word" href={`${at}/quay#港口`}>
        word
      </Link>
    </main>
  )
}
