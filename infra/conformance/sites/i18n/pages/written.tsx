import Link from 'next/link'
import { useRouter } from 'next/router'
import { Links } from '../components/links'
import { State } from '../components/state'

/** Links whose paths have the locale of the query, written by the page. */
export default function Written() {
  const { to = 'fr' } = useRouter().query
  return (
    <>
      <State />
      <Links locale={false} prefix={`/${String(to)}`} />
      <Link id="to-default" href="/timetable" locale={false}>
        default
      </Link>
    </>
  )
}
