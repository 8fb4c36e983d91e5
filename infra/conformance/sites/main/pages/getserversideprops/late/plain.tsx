import type { ServerResponse } from 'node:http'
import type { GetServerSidePropsContext } from 'next'
import { State } from '../../../components/state'

let response: ServerResponse | undefined

export async function getServerSideProps({ res }: GetServerSidePropsContext) {
  response = res
  return { props: { cargo: 'salt' } }
}

/** Sets a header while it is rendered. */
export default function Late(props: object) {
  if (typeof window === 'undefined') response?.setHeader('x-late', 'yes')
  return <State props={props} />
}
