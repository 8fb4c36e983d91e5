// pages/_app.tsx
import '@fontsource-variable/inter/wght.css'
import '../styles/site.css'
import {
  type DehydratedState,
  HydrationBoundary,
  QueryClient,
  QueryClientProvider,
} from '@tanstack/react-query'
import type { AppProps } from 'portico'
import { useState } from 'react'
import { Surroundings } from '../components/surroundings.tsx'

type Props = AppProps<{ queries?: DehydratedState }>
const OPTIONS = { defaultOptions: { queries: { staleTime: 60_000 } } }

export default function App({ Component, pageProps }: Props) {
  const [client] = useState(() => new QueryClient(OPTIONS))
  return (
    <QueryClientProvider client={client}>
      <HydrationBoundary state={pageProps.queries}>
        <Surroundings>
          <Component {...pageProps} />
        </Surroundings>
      </HydrationBoundary>
    </QueryClientProvider>
  )
}
