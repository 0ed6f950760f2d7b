// Texts that look like dates and times and are not: a codec refuses them alone, and in the query of
// an application.

/** No date-time of RFC 3339. */
export const BAD_DATE_TIMES = [
  '2026-02-30T00:00:00Z',
  '1',
  '2026',
  '2026-1-1',
  '2026-01-01T24:00:00Z',
  '2026-01-01T00:60:00Z',
  '2026-01-01T00:00:60Z',
  '2026-01-01T00:00:00+99:99',
  '2026-01-01T00:00:00+24:00',
  '2026-01-01T00:00:00+00:60',
  '2016-12-31T23:59:61Z',
  '2026-01-01',
  '2026-01-01T00:00:00',
  '2026-01-01 00:00:00Z',
]
