export const getStaticPaths = async () => ({ paths: [], fallback: true })

/** `own`: to the locale of the page. */
export const getStaticProps = async ({ params, locale }: { params: { to: string }; locale: string }) => ({
  redirect: { destination: `/${params.to === 'own' ? locale : params.to}/piers`, permanent: false },
})

export default function Sent() {
  return <p>Elsewhere</p>
}
