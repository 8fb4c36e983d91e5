import type { GetStaticPaths, GetStaticProps } from 'next'
import { Preview, proofOf } from '../../../components/preview'

export const getStaticPaths: GetStaticPaths = () => ({ paths: ['/preview-fallback/open/atlas'], fallback: true })

export const getStaticProps: GetStaticProps = (context) => ({
  props: { ...proofOf(context), book: context.params?.book },
})

export default function OpenBook(proof: object) {
  return <Preview {...proof} />
}
