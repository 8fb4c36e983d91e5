import { dataAfter } from '../../../../components/prerender/data'
import { Shown } from '../../../../components/prerender/shown'

const at = '/prerender/stars'

export const getStaticPaths = () => ({
  paths: [`${at}/star-1`, { params: { star: 'star-2' } }, `${at}/[star-3]`, `${at}/star.4`, `${at}/star.4`],
  fallback: true,
})

export const getStaticProps = (context: { params: { star: string } }) => {
  if (context.params.star === 'dark') throw new Error('this star has no light')
  return dataAfter(context.params.star === 'star-10' ? 200 : 0, 10)(context)
}

export default function Star(props: object) {
  return <Shown props={props} />
}
