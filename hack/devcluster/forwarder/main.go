// forwarder makes one TCP address inside the cluster's network namespace reachable on the machine's loopback
// address. It is a program of its own, and not a subcommand, because tests that import the library cannot start
// themselves as a daemon.
package main

import (
	"context"
	"flag"
	"io"
	"log"
	"net"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"zfsbench.io/operator/hack/devcluster/internal/netns"
)

func main() {
	listen := flag.String("listen", "", "address to listen on")
	namespace := flag.String("namespace", "", "file of the target's network namespace")
	target := flag.String("target", "", "address to connect to inside the namespace")
	flag.Parse()
	if err := forward(*listen, netns.Namespace(*namespace), *target); err != nil {
		log.Fatalf("forward: %v", err)
	}
}

func forward(listen string, namespace netns.Namespace, target string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { listener.Close() })()
	for {
		conn, err := listener.Accept()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		go serve(ctx, conn, namespace, target)
	}
}

func serve(ctx context.Context, client net.Conn, namespace netns.Namespace, target string) {
	defer client.Close()
	dialCtx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	server, err := namespace.DialContext(dialCtx, "tcp", target)
	if err != nil {
		log.Printf("connect: %v", err)
		return
	}
	defer server.Close()
	var directions sync.WaitGroup
	directions.Go(func() { pipe(server, client) })
	directions.Go(func() { pipe(client, server) })
	directions.Wait()
}

// pipe copies until src ends, and then tells dst that no more will come.
func pipe(dst, src net.Conn) {
	if _, err := io.Copy(dst, src); err != nil {
		// One side is gone: the other direction must not wait for it.
		dst.Close()
		src.Close()
		return
	}
	if tcp, ok := dst.(*net.TCPConn); ok {
		_ = tcp.CloseWrite()
	}
}
