import { useRouter } from 'next/router'
import { Links } from '../components/links'
import { State } from '../components/state'

/** Links to the locale of the query. */
export default function Menu() {
  const { to } = useRouter().query
  return (
    <>
      <State />
      <Links locale={to as string | undefined} />
    </>
  )
}
