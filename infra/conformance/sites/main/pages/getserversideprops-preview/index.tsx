import type { GetServerSideProps } from 'next'
import { Preview, type Proof, proofOf } from '../../components/preview'

export const getServerSideProps: GetServerSideProps = async (context) => ({ props: proofOf(context) })

export default function Gazette(proof: Proof) {
  return <Preview {...proof} />
}
