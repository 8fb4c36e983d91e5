import dynamic from 'next/dynamic'
import Link from 'next/link'
import { useState } from 'react'
import css from 'styled-jsx/css'

const Later = dynamic(() => import('../../components/styled-later'))

const badge = css`
  .badge {
    color: rgb(0, 0, 4);
  }
`
const { className, styles } = css.resolve`
  a {
    color: rgb(0, 0, 5);
  }
`

function Level({ level }: { level: number }) {
  return (
    <p id="level">
      level
      <style jsx>{`
        p {
          color: rgb(0, 0, ${level});
        }
      `}</style>
    </p>
  )
}

export default function Styles() {
  const [level, setLevel] = useState(10)
  return (
    <main>
      <h1>Styles</h1>
      <p id="scoped" className="own">
        scoped
      </p>
      <b className="badge">badge</b>
      <Link href="/styles/other" className={className}>
        other
      </Link>
      {styles}
      <Level level={level} />
      <Later />
      <button type="button" onClick={() => setLevel(level + 1)}>
        more
      </button>
      <style jsx>{badge}</style>
      <style jsx>{`
        p {
          color: rgb(0, 0, 1);
          &.own {
            margin: 3px;
          }
        }
        main :global(i) {
          color: rgb(0, 0, 2);
        }
      `}</style>
      <style jsx global>{`
        body {
          background: rgb(250, 250, 250);
        }
      `}</style>
    </main>
  )
}
