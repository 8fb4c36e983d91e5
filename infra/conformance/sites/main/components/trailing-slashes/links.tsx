import Link from 'next/link'
import { useRouter } from 'next/router'
import { State } from '../state'

/** `at` is the folder of the linked pages. */
export function Links({ at = '/trailing-slashes', paths = PATHS }) {
  const router = useRouter()
  return (
    <>
      {paths.map((path) => (
        <p key={path}>
          <Link data-link={path} href={at + path || '/'}>
            link
          </Link>
          <button type="button" data-push={path} onClick={() => router.push(at + path || '/')}>
            push
          </button>
        </p>
      ))}
      <Link id="other" href="https://www.example.com">
        other site
      </Link>
      <Link id="other-slash" href="https://www.example.com/">
        other site
      </Link>
      <State />
    </>
  )
}

const PATHS = ['', '/about', '/about/', '/about?at=door', '/about/?at=door', '/deep/one/', '/deep/one.two/']
