import type { GetServerSidePropsContext } from 'next'
import { State } from '../../components/state'

export const getServerSideProps = async ({ params }: GetServerSidePropsContext) => ({ props: { params } })

export default function Name(props: object) {
  return <State props={props} />
}
