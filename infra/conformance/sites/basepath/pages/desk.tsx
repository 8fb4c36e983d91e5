import Link from 'next/link'
import { useRouter } from 'next/router'
import '../components/log-events'
import { State } from '../components/state'

const LINKS = {
  attic: '/attic',
  kept: '/kept',
  fresh: '/fresh',
  index: '/',
  fragment: '#lamp',
  slow: '/slow',
  broken: '/broken',
  terrace: '/custom-routes/terrace',
}

export default function Desk() {
  const { basePath } = useRouter()
  return (
    <>
      <h1>Desk</h1>
      <p id="base-path">{basePath}</p>
      {Object.entries(LINKS).map(([id, href]) => (
        <Link key={id} id={id} href={href} prefetch={id === 'slow' || id === 'broken' ? false : undefined}>
          {id}
        </Link>
      ))}
      <Link id="named" href="/[name]" as="/pigeon">
        a page with a parameter
      </Link>
      <Link id="shelves" href="/shelves/[...parts]" as="/shelves/left/top">
        a page with segments
      </Link>
      <Link id="own-fragment" href="/desk#drawer">
        a fragment of this page
      </Link>
      <Link id="cellar" href="/cellar" as="/desk">
        the cellar by the address of this page
      </Link>
      <State />
    </>
  )
}
