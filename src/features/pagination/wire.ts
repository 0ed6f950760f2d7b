/** The wire facts of `paginate`. */
export interface PagesWire {
  query: { page?: number; page_size?: number }
  errors: 422
  success: {
    'X-Pagination'?: {
      'application/json': {
        total: number
        total_pages: number
        first_page?: number
        last_page?: number
        page?: number
        previous_page?: number
        next_page?: number
      }
    }
  }
}
