import type { GetStaticProps } from 'next'
import { Preview, type Proof, proofOf } from '../../components/preview'

export const getStaticProps: GetStaticProps = (context) => ({ props: proofOf(context), revalidate: 86400 })

export default function Almanac(proof: Proof) {
  return <Preview {...proof} />
}
