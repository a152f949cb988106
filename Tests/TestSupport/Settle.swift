import BundleReading

/// Waits until an answer is no longer reused without a check.
package func settle() {
    let start = DirectoryCache.now()
    while DirectoryCache.now() <= start + DirectoryCache.trust {}
}
