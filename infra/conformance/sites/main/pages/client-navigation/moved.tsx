export const getServerSideProps = async () => ({
  redirect: { destination: '/client-navigation/pier', permanent: false },
})

export default function Moved() {
  return null
}
