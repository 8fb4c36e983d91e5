// Reads and writes header sections: the client's address and origin, framing, what is sent upstream and what comes from
// there. It guarantees that only the gateway writes framing, forwarded and internal headers, and that no internal header
// crosses the gateway.

export { isDoubtful, isOriginForm } from './doubtful.ts'
export { externalHeaders, isKeptFromClient, isLoop } from './external-headers.ts'
export {
  type AddressRange,
  createForwardedReader,
  createTrust,
  type ForwardedFacts,
  isHost,
  locationInBrowser,
  parseTrustedProxies,
} from './forwarded.ts'
export { dropMeaninglessBody, type Framing, framingForUpstream, readFraming, writeFraming } from './framing.ts'
export { isDroppedHeader, passRoute, upgradeHeaders, upstreamHeaders } from './request-headers.ts'
export { readUpstreamHead, type UpstreamHead } from './response-headers.ts'
